import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/tools/build-bundle.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: ['default', ['json', { outputFile: 'reports/tests.json' }]],
    coverage: { provider: 'v8', include: ['config/**', 'cgroup/**', 'agent/**'] },
  },
});
