import { EXIT, Failure } from '../../exit.ts';
import type { NodeRoot } from '../../observe/root.ts';
import type { Io } from '../console/io.ts';
import { type Configuration, loadConfiguration } from '../inputs/configuration.ts';
import type { RunArguments } from './run-settings.ts';

/** A source that is none is a mistake of the command line only where that names it. */
export function askedFor<T>({ pods, stats }: RunArguments, make: () => T): T {
  try {
    return make();
  } catch (error) {
    const isConfigured = pods === undefined && stats === undefined;
    if (error instanceof Failure && error.status === EXIT.usage && isConfigured) {
      throw new Failure(EXIT.badConfiguration, error.message);
    }
    throw error;
  }
}

/** The status of a refused configuration at the start of a service says so (sysexits: EX_CONFIG). */
export function configurationOrRefusal(args: RunArguments, root: NodeRoot, io: Io): Configuration {
  try {
    return loadConfiguration(args, root, io);
  } catch (error) {
    if (error instanceof Failure && error.status === EXIT.badData) {
      throw new Failure(EXIT.badConfiguration, error.message);
    }
    throw error;
  }
}
