import { configDefaults, defineConfig } from 'vitest/config';

/** Machines with real kernels need the processors for themselves: they are a run of their own, `npm run test:kernel`. */
const isKernelRun = process.env['NODEQOS_KERNEL'] === '1';

export default defineConfig({
  test: {
    include: [isKernelRun ? 'test/kernel/**/*.test.ts' : 'test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(isKernelRun ? [] : ['test/kernel/**'])],
    // Tests of the binary, and machines too, wait most of their time for something.
    maxWorkers: 2,
    globalSetup: ['test/tools/build-bundle.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: [
      'default',
      ['json', { outputFile: isKernelRun ? 'reports/kernel-tests.json' : 'reports/tests.json' }],
    ],
    coverage: { provider: 'v8', include: ['config/**', 'cgroup/**', 'agent/**'] },
  },
});
