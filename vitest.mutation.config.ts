import { defineConfig } from 'vitest/config';

// The tests that call the mutated code in this process; those that run the bundle would not see a mutant.
export default defineConfig({
  test: {
    include: ['test/config/**/*.test.ts', 'test/cgroup/*.test.ts', 'test/agent/**/*.test.ts', 'test/properties/**/*.test.ts'],
    testTimeout: 20_000,
  },
});
