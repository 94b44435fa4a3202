import { readFileSync, writeFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readNodeQosConfiguration } from '../../../config/nodeqos/read.ts';
import { nodeQosJsonSchema } from '../../../config/nodeqos/schema.ts';

const SCHEMA_FILE = new URL('../../../config/nodeqos/nodeqos.schema.json', import.meta.url);
const DEFAULT_FILE = new URL('../../../config/nodeqos/nodeqos.yaml', import.meta.url);

if (process.env['UPDATE'] === '1') {
  // Biome gives it its final form: npx biome check --write config.
  writeFileSync(SCHEMA_FILE, `${JSON.stringify(nodeQosJsonSchema(), null, 2)}\n`);
}

/** The comments that hold a key without default, not a sentence. */
const OPTIONAL =
  /^( *)# ( *(?:dropInDir|throttlingFactor|reservationPolicy|thresholds|hard|soft|softGracePeriod|minimumReclaim|pressureTransitionPeriod|maxPodGracePeriodSeconds|priorityAtLeast|node|file):.*)$/gm;

describe('the JSON schema of nodeqos.yaml', () => {
  const schema = JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')) as object;
  const validate = new Ajv({ strict: false, formats: { regex: true } }).compile(schema);

  it('is what the code says; UPDATE=1 writes it anew', () => {
    expect(schema).toEqual(nodeQosJsonSchema());
  });

  it('takes the commented default file', () => {
    const text = readFileSync(DEFAULT_FILE, 'utf8');
    validate(parse(text));
    expect(validate.errors).toBeNull();
  });

  it('refuses an unknown key and a wrong type', () => {
    const head = { apiVersion: 'nodeqos.dev/v1alpha1', kind: 'NodeQosConfiguration' };
    expect(validate({ ...head, listenn: 'none' })).toBe(false);
    expect(validate({ ...head, mode: 'maybe' })).toBe(false);
    expect(validate({ ...head, pods: { maxAge: 5 } })).toBe(false);
    expect(validate(head)).toBe(true);
  });

  it('has the same defaults as the commented file', () => {
    const text = readFileSync(DEFAULT_FILE, 'utf8');
    const reading = readNodeQosConfiguration({ file: 'nodeqos.yaml', text }, []);
    expect(reading).toEqual(readNodeQosConfiguration(undefined, []));
  });

  it('takes the commented file with every comment that holds a key opened', () => {
    const text = readFileSync(DEFAULT_FILE, 'utf8').replace(OPTIONAL, '$1$2');
    const reading = readNodeQosConfiguration({ file: 'nodeqos.yaml', text }, []);
    expect(reading.errors).toEqual([]);
    expect(reading.settings?.eviction.thresholds?.length).toBe(3);
  });
});
