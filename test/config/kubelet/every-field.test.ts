import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { KUBELET_FIELDS } from '../../../config/kubelet/fields.ts';
import { readKubeletConfiguration } from '../../../config/kubelet/read.ts';
import { lines } from '../text/documents.ts';

const text = readFileSync(new URL('../../fixtures/config/every-field.yaml', import.meta.url), 'utf8');

describe('a KubeletConfiguration with every field', () => {
  it('is taken without a word', () => {
    const reading = readKubeletConfiguration({ file: 'f', text }, []);
    expect(lines([...reading.errors, ...reading.warnings])).toEqual([]);
    expect(reading.settings).toBeDefined();
  });

  it('has every field', () => {
    const named = [...text.matchAll(/^(\w+):/gm)].map(([, name]) => name);
    expect(named.toSorted()).toEqual(Object.keys(KUBELET_FIELDS).toSorted());
  });

  it.each(Object.entries(KUBELET_FIELDS).filter(([name]) => name !== 'kind' && name !== 'apiVersion'))(
    'refuses a wrong type of %s',
    (name, type) => {
      const wrong = type.kind === 'list' ? 'x' : '[[]]';
      const head = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
      const { errors } = readKubeletConfiguration({ file: 'f', text: `${head}${name}: ${wrong}` }, []);
      expect(errors.map(({ line, path }) => `${line ?? 0} ${path}`)).toContain(`3 ${name}`);
    },
  );
});
