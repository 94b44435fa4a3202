import { existsSync, readFileSync } from 'node:fs';
import { type Gate, type Opener, withGate } from './gate.ts';
import { MOUNT } from './machine.ts';
import type { TestNode } from './test-node.ts';

function journalOf(node: TestNode): string {
  const path = `${node.state}/journal.jsonl`;
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/**
 * Starts something that writes limits, and holds it in the kernel where it opens one of them to write it: old values are on
 * disk by then, and what comes earlier in the order of writes is written. Everybody who opens it before that is let through.
 */
export async function whileHeldAtWrite(
  node: TestNode,
  file: string,
  start: () => void,
  act: (opener: Opener, gate: Gate) => Promise<void>,
): Promise<void> {
  const before = journalOf(node);
  const isJournalled = (): boolean => {
    const journal = journalOf(node);
    return journal !== before && journal.includes('"before"');
  };
  await withGate(`${MOUNT}/${file}`, async (gate) => {
    start();
    let opener = await gate.held(`somebody who opens ${file}`);
    while (!isJournalled()) {
      opener.allow();
      opener = await gate.held(`somebody who writes ${file}`);
    }
    await act(opener, gate);
  });
}
