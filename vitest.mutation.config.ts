import { defineConfig } from 'vitest/config';

/**
 * The tests that call the mutated code in this process, room by room, so that a mutant meets the tests that are about it.
 * Those that run the bundle would not see a mutant at all.
 */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  config: ['test/config/**/*.test.ts'],
  cgroup: ['test/cgroup/**/*.test.ts', 'test/properties/**/*.test.ts'],
  decide: [
    'test/agent/decide/**/*.test.ts',
    'test/agent/whatif/**/*.test.ts',
    'test/agent/*.test.ts',
    'test/properties/**/*.test.ts',
    'test/scenarios/**/*.test.ts',
  ],
};

export default defineConfig({
  test: {
    include: [...(TESTS[process.env['MUTATION_ROOM'] ?? 'config'] ?? [])],
    testTimeout: 20_000,
  },
});
