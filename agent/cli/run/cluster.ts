import type { AgentPart } from '../../model/agent-event.ts';
import type { ApiClient } from '../../peers/api/api-client.ts';
import type { EventSink } from '../../ports.ts';
import { type ClosableSink, clusterEvents } from '../../report/cluster/cluster-events.ts';
import { nodeStatus } from '../../report/cluster/node-status.ts';
import type { RunSetup, SetupParts } from './setup.ts';

/** Those who tell the cluster. */
export interface ClusterSinks {
  readonly sinks: readonly EventSink[];
  /** Waits a moment for what is left to tell. */
  close(): Promise<void>;
}

/**
 * Who tells the API server of evictions and of how the node stands, as the settings at the start say. Events go to nobody who is
 * not spoken to anyway: for pods, for evictions, for the Node, or because a kubeconfig names them.
 */
export function clusterSinks(
  inForce: { readonly run: RunSetup },
  { clock, args }: SetupParts,
  trouble: (part: AgentPart, sentence: string | undefined) => Promise<void>,
): ClusterSinks {
  const { peers, settings } = inForce.run;
  const { events, conditions, taints } = settings.api;
  const { nodeName } = peers;
  const client = laterClient(() => inForce.run.peers.api());
  const told = (part: AgentPart) => async (sentence: string | undefined) => {
    await trouble(part, sentence);
  };
  const closable: ClosableSink[] = [];
  if (events)
    closable.push(
      clusterEvents({ client, nodeName, clock, trouble: (sentence) => void told('events')(sentence) }),
    );
  // A single tick would mark the Node and unmark it at once.
  if ((conditions || taints) && !args.once) {
    closable.push(nodeStatus({ client, nodeName, conditions, taints, clock, trouble: told('node') }));
  }
  return {
    sinks: closable.map((sink) => (sink.name === 'events' ? whereSpokenTo(sink, inForce) : sink)),
    close: async () => {
      await Promise.all(closable.map((sink) => sink.close()));
    },
  };
}

function whereSpokenTo(sink: ClosableSink, inForce: { readonly run: RunSetup }): EventSink {
  return {
    name: sink.name,
    event: (event) => (isSpokenTo(inForce.run) ? sink.event(event) : undefined),
    tick: (record) => {
      if (isSpokenTo(inForce.run)) sink.tick?.(record);
    },
  };
}

function isSpokenTo({ settings: { api }, standing }: RunSetup): boolean {
  return (
    api.kubeconfig !== undefined ||
    api.conditions ||
    api.taints ||
    standing.podSource === 'api' ||
    standing.evictor === 'api'
  );
}

/** A client that is made when it is first asked for something: credentials may come later than the agent. */
function laterClient(make: () => Promise<ApiClient>): ApiClient {
  return {
    name: 'the API server',
    identity: 'the credentials of nodeqos',
    request: async (...question) => await (await make()).request(...question),
    watch: async (...question) => await (await make()).watch(...question),
  };
}
