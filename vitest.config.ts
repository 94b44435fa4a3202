import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'threads',
    testTimeout: 30_000,
    hookTimeout: 120_000,
    coverage: { provider: 'v8', include: ['config/**', 'cgroup/**', 'agent/**'] },
  },
});
