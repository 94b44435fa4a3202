import { type Warning, warning } from '../../../cgroup/warning.ts';
import type { TaintSettings } from '../../../config/nodeqos/settings.ts';
import { isSameTaint, taintText } from '../../decide/taints/taint-text.ts';
import { EXIT, Failure } from '../../exit.ts';
import type { Taint, TaintedNode } from '../../model/node.ts';
import { readInputFile } from '../../observe/input-file.ts';
import { LastGood } from '../../observe/last-good.ts';
import { readNodeText } from '../../observe/node-object.ts';
import type { NodeRoot } from '../../observe/root.ts';
import type { TaintLook } from '../../ports.ts';

/** Where this node's taints are to be found. */
interface ThisNode {
  readonly root: NodeRoot;
  /** undefined: nobody has said. */
  readonly nodeName: string | undefined;
}

/** Taints, and of which Node they are. */
interface KnownTaints {
  readonly taints: readonly Taint[];
  readonly node?: TaintedNode;
  /** Those of the Node in whose place one of the configuration counts. */
  readonly replaced: readonly Taint[];
}

/**
 * The taints that the configuration speaks of, looked at again and again: those of the Node's file and its own. Nothing is
 * read where taints do not evict.
 */
export class WatchedTaints {
  /** The Node's file as a path of this machine: what has to be looked at to see that it changed. */
  readonly paths: readonly string[];
  readonly #last: LastGood<KnownTaints>;
  readonly #nodeName: string | undefined;
  #known: KnownTaints | undefined;

  constructor({ evict, node: file, extra }: TaintSettings, node: ThisNode) {
    const named = evict ? file : undefined;
    this.#nodeName = node.nodeName;
    this.paths = named === undefined ? [] : [node.root.files.nameOf(relative(named))];
    const read = (): KnownTaints => {
      if (named === undefined) return { taints: extra, replaced: [] };
      const listed = nodeTaints(named, node.root);
      const isReplaced = (taint: Taint): boolean => extra.some((own) => isSameTaint(own, taint));
      return {
        node: listed.node,
        taints: [...listed.taints.filter((taint) => !isReplaced(taint)), ...extra],
        replaced: listed.taints.filter(isReplaced),
      };
    };
    this.#last = new LastGood({ paths: this.paths, read });
  }

  /**
   * The taints as of now: unknown while what was read last is another Node than this one. Throws nothing that a file can cause.
   */
  look(nowMs: number): TaintLook {
    const { value, ...standing } = this.#last.look(nowMs);
    this.#known = value;
    const foreign = this.#foreign;
    return {
      ...(foreign === undefined ? {} : { lack: foreign.message }),
      taints: foreign === undefined ? value?.taints : undefined,
      ...standing,
      ...(value?.node === undefined ? {} : { node: value.node }),
    };
  }

  /**
   * The first look, as of `nowMs`. Throws Failure 65, 66 and 77 for a file that is no Node, is not there or may not be read:
   * later on the last good one counts, but at the start that is a mistake that somebody should hear of.
   */
  first(nowMs: number): void {
    this.look(nowMs);
    const failure = this.#last.failure ?? this.#foreign;
    if (failure !== undefined) throw failure;
  }

  /** Why the Node that was read last is not this one. */
  get #foreign(): Failure | undefined {
    const node = this.#known?.node;
    if (node === undefined || this.#nodeName === undefined || node.name === this.#nodeName) return undefined;
    return new Failure(
      EXIT.badData,
      `${node.file}: it is the Node ${node.name}, and this one is ${this.#nodeName}; taints.node names the file of this node`,
    );
  }

  /** What a person should know of the taints as they were seen last: which are stated twice. */
  warnings(): readonly Warning[] {
    const { node, replaced = [] } = this.#known ?? {};
    if (node === undefined || replaced.length === 0) return [];
    const names = replaced.map((taint) => taintText({ ...taint, value: '' })).join(', ');
    const message = `${node.file} and taints.extra both state ${names}; what taints.extra states counts, once`;
    return [warning('taint-stated-twice', message)];
  }

  /** Begins with what was known before, where that was of the same file. */
  adopt(before: WatchedTaints): void {
    const { lastGood } = before.#last;
    if (lastGood !== undefined && before.paths.join('\n') === this.paths.join('\n'))
      this.#last.adopt(lastGood);
  }
}

/** Throws Failure. */
function nodeTaints(
  file: string,
  root: NodeRoot,
): { readonly taints: readonly Taint[]; readonly node: TaintedNode } {
  const text = readInputFile(relative(file), root.files, 'taints.node names the file of a v1 Node');
  const { name, taints } = readNodeText(text);
  return { taints, node: { name, file: text.file } };
}

function relative(path: string): string {
  return path.replace(/^\/+/, '');
}
