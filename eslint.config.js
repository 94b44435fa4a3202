import tseslint from 'typescript-eslint';

/** Files that must stay pure: same input, same output, no clock, no files, no environment. */
const pureCore = [
  'config/**/*.ts',
  'cgroup/**/*.ts',
  'agent/model/**/*.ts',
  'agent/decide/**/*.ts',
  'agent/whatif/**/*.ts',
];
/** The adapters inside those folders: the only files there that may touch the machine. */
const adapters = ['config/watch.ts', 'cgroup/disk/**/*.ts'];

export default tseslint.config(
  {
    ignores: ['dist', 'reports', 'node_modules', 'test/fixtures', 'test/golden', '.stryker-tmp', '**/*.cjs'],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['*.js', 'test/bench/run.js', 'test/tools/count-tests.js'] },
      },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      complexity: ['error', 12],
      'max-lines': ['error', { max: 250, skipBlankLines: false, skipComments: false }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 4],
      'no-console': 'error',
      'no-param-reassign': 'error',
      'prefer-const': 'error',
      eqeqeq: 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: false, allow: [{ from: 'lib', name: 'BigInt' }] },
      ],
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
    },
  },
  {
    files: pureCore,
    ignores: adapters,
    rules: {
      'no-restricted-globals': ['error', 'process', 'setTimeout', 'setInterval', 'setImmediate', 'fetch'],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Time is part of the observation.' },
        { object: 'Math', property: 'random', message: 'Same input, same output.' },
      ],
      'no-restricted-imports': [
        'error',
        { patterns: ['node:*', 'winston', 'chokidar', 'systeminformation'] },
      ],
    },
  },
  {
    files: ['test/**/*.ts', '**/*.js', '*.ts'],
    rules: {
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': 'off',
      'no-console': 'off',
    },
  },
  { files: ['**/*.js'], ...tseslint.configs.disableTypeChecked },
);
