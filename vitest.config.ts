import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Two kernels take longer than all else together: `npm run test:kernel` is a run of its own.
    exclude: [
      ...configDefaults.exclude,
      ...(process.env['NODEQOS_KERNEL'] === '1' ? [] : ['test/kernel/**']),
    ],
    globalSetup: ['test/tools/build-bundle.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: ['default', ['json', { outputFile: 'reports/tests.json' }]],
    coverage: { provider: 'v8', include: ['config/**', 'cgroup/**', 'agent/**'] },
  },
});
