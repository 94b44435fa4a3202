import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runProgram } from '../../agent/cli/program.ts';
import { RecordingIo } from './recording-io.ts';

/** A JSON document of a command, as far as a test looks into it. */
export type Document = Readonly<Record<string, unknown>>;

/** Input files in a temporary folder, and the whole program run on them. */
export class CommandInputs {
  readonly folder = mkdtempSync(join(tmpdir(), 'nodeqos-inputs-'));

  /** Writes a file and gives its path. What is not text is written as JSON. */
  write(name: string, content: unknown): string {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  }

  /** A KubeletConfiguration with these fields, as a file. */
  kubelet(fields: string, name = 'kubelet.yaml'): string {
    return this.write(
      name,
      `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n${fields}\n`,
    );
  }

  /** The document that a command prints as JSON; an error when it ends with another status. */
  async document(args: readonly string[], status = 0): Promise<Document> {
    const { ended, stdout, stderr } = await this.run([...args, '-o', 'json']);
    if (ended !== status) throw new Error(`status ${ended}: ${args.join(' ')}\n${stderr}`);
    return JSON.parse(stdout) as Document;
  }

  /** What a command ends with, prints and says. */
  async run(args: readonly string[]): Promise<{ ended: number; stdout: string; stderr: string }> {
    const io = new RecordingIo();
    const ended = await runProgram(args, io);
    return { ended, stdout: io.stdout, stderr: io.stderr };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
