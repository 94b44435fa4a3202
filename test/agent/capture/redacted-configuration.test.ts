import { describe, expect, it } from 'vitest';
import { redactedConfiguration } from '../../../agent/capture/redacted-configuration.ts';

const HEAD = 'kind: KubeletConfiguration\n';
const cases: readonly [string, string, string | undefined][] = [
  ['without the field stays as it is, even if it is no YAML', 'a: [\n', 'a: [\n'],
  [
    'with a list',
    `${HEAD}staticPodURLHeader:\n  A: [x, 'y']\nb: 1\n`,
    `${HEAD}staticPodURLHeader:\n  A: ["redacted", "redacted"]\nb: 1\n`,
  ],
  [
    'with a block list',
    `staticPodURLHeader:\n  A:\n  - x y z # why\n  - "q"\nb: 1\n`,
    `staticPodURLHeader:\n  A:\n  - "redacted" # why\n  - "redacted"\nb: 1\n`,
  ],
  ['in JSON', '{"staticPodURLHeader":{"A":["x"]},"b":1}', '{"staticPodURLHeader":{"A":["redacted"]},"b":1}'],
  ['with a key in another case', 'STATICPODURLHEADER: {A: [x]}\n', 'STATICPODURLHEADER: {A: ["redacted"]}\n'],
  [
    'with a key that is escaped',
    '{"static\\u0050odURLHeader": {"A": ["x"]}}',
    '{"static\\u0050odURLHeader": {"A": ["redacted"]}}',
  ],
  ['with one value instead of a map', 'staticPodURLHeader: x\n', 'staticPodURLHeader: "redacted"\n'],
  [
    'twice in one map',
    'staticPodURLHeader: {A: [x]}\nstaticPodURLHeader: {A: [y]}\n',
    'staticPodURLHeader: {A: ["redacted"]}\nstaticPodURLHeader: {A: ["redacted"]}\n',
  ],
  [
    'through an alias',
    'x: &x [s, t]\nstaticPodURLHeader: {A: *x}\n',
    'x: &x ["redacted", "redacted"]\nstaticPodURLHeader: {A: *x}\n',
  ],
  [
    'in a merged map',
    'x: &x {staticPodURLHeader: {A: [s]}}\n<<: *x\n',
    'x: &x {staticPodURLHeader: {A: ["redacted"]}}\n<<: *x\n',
  ],
  [
    'in a second document',
    'a: 1\n---\nstaticPodURLHeader: {A: [x]}\n',
    'a: 1\n---\nstaticPodURLHeader: {A: ["redacted"]}\n',
  ],
  [
    'with text over several lines keeps the lines after it',
    'staticPodURLHeader:\n  A:\n  - |\n    x\n    y\nb: 1\n',
    'staticPodURLHeader:\n  A:\n  - "redacted"\n\n\nb: 1\n',
  ],
  ['that is no YAML gives nothing', 'staticPodURLHeader: [\n', undefined],
  ['that is only a comment about the field', '# staticPodURLHeader: x\n', '# staticPodURLHeader: x\n'],
];

describe('a configuration', () => {
  it.each(cases)('%s', (_, text, expected) => {
    expect(redactedConfiguration(text)).toBe(expected);
  });
});
