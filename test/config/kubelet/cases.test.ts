import { describe, expect, it } from 'vitest';
import { readKubeletConfiguration } from '../../../config/kubelet/read.ts';
import { lines } from '../text/documents.ts';
import { RULES } from './rules-cases.ts';
import { SHAPE } from './shape-cases.ts';

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';

describe.each([
  ['types of fields', SHAPE],
  ['rules', RULES],
])('%s of a KubeletConfiguration', (_name, cases) => {
  it.each(Object.entries(cases))('%s', (_case, [text, errors, warnings]) => {
    const reading = readKubeletConfiguration({ file: 'f', text: `${HEAD}${text}` }, []);
    expect(lines(reading.errors)).toEqual(errors);
    expect(lines(reading.warnings)).toEqual(warnings);
    expect(reading.settings === undefined).toBe(errors.length > 0);
  });
});
