/** Which objects explain a complaint, as several kinds need it. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { kubectl } from './commands.ts';
import { conditionsOf, isDeleting, isWaiting, oneLine } from './complaints.ts';
import { type Complaint, type Graph, type Reference, referencesIn } from './graph.ts';
import type { ConditionRule, Explanation, ReasonRule } from './rule.ts';

const labelOfCluster = 'cluster.x-k8s.io/cluster-name';
const labelOfControlPlane = 'cluster.x-k8s.io/control-plane';

type Spec = Record<string, unknown> | undefined;

/** The object that a field of the spec refers to, such as `bootstrap.configRef`. */
export const referred =
  (path: string): Explanation =>
  ({ spec }, graph) => {
    const reference = path.split('.').reduce<unknown>((value, field) => (value as Spec)?.[field], spec);
    const { kind, name } = (reference ?? {}) as Partial<Reference>;
    return graph.complaints(graph.get(kind, name));
  };

const mentions = (message: string, { kind, metadata: { namespace, name } }: KubeObject): boolean =>
  new RegExp(`\\b${kind} (${namespace}/)?${name}(?![\\w-])`).test(message);

/** Every object that the spec refers to. */
export const allReferred: Explanation = ({ spec }, graph) =>
  referencesIn(spec).flatMap(({ kind, name }) => graph.complaints(graph.get(kind, name)));

/** The objects of these kinds that have it as an owner. */
export const owned =
  (...kinds: string[]): Explanation =>
  (object, graph) =>
    graph
      .ownedBy(object)
      .filter(({ kind }) => kinds.length === 0 || kinds.includes(kind))
      .flatMap(graph.complaints);

export const ofKinds =
  (...kinds: string[]): Explanation =>
  (_, graph) =>
    graph.ofKind(...kinds).flatMap(graph.complaints);

export const byOperation: Explanation = ofKinds('ClusterOperation');

export const either =
  (...all: Explanation[]): Explanation =>
  (object, graph) =>
    all.flatMap((one) => one(object, graph));

/** The first that complains explains it. */
export const firstOf =
  (...all: Explanation[]): Explanation =>
  (object, graph) =>
    all.map((one) => one(object, graph)).find((found) => found.length > 0) ?? [];

export const only =
  (explanation: Explanation, isMeant: (complaint: Complaint) => boolean): Explanation =>
  (object, graph) =>
    explanation(object, graph).filter(isMeant);

/** What the objects complain of that a message names, such as `Machine demo-x7` or `Machine default/demo-x7`. */
export const named =
  (message: string): Explanation =>
  (object, graph) =>
    graph.objects.filter((one) => one !== object && mentions(message, one)).flatMap(graph.complaints);

export const isWorse = ({ level }: Complaint): boolean => level !== 'wait';

/** Other conditions of the same object. */
export const own =
  (...types: string[]): Explanation =>
  (object, graph) =>
    graph.complaints(object).filter(({ type }) => types.includes(type));

export const isControlPlaneMachine = ({ kind, metadata }: KubeObject): boolean =>
  kind === 'Machine' && metadata.labels?.[labelOfControlPlane] !== undefined;

export const machinesOf = (graph: Graph, isOfControlPlane: boolean): KubeObject[] =>
  graph.ofKind('Machine').filter((machine) => isControlPlaneMachine(machine) === isOfControlPlane);

export const byMachines =
  (isOfControlPlane: boolean): Explanation =>
  (_, graph) =>
    machinesOf(graph, isOfControlPlane).flatMap(graph.complaints);

/** Whether it belongs to the cluster that the graph is of. */
export const isOfCluster = ({ metadata, spec }: KubeObject, { cluster }: Graph): boolean => {
  const name = cluster?.metadata.name;
  return (
    metadata.labels?.[labelOfCluster] === name || (spec as { clusterName?: string } | undefined)?.clusterName === name
  );
};

/** The cluster's operation does not admit what the object's spec asks for. */
export const withheld: Readonly<Record<string, ReasonRule>> = Object.fromEntries(
  ['WaitingForOperation', 'OnHold', 'TornDown'].map((reason) => [reason, { level: 'wait', by: byOperation }]),
);

/** What Capstan does after a call to AWS, or a write, that failed. */
export const retried =
  'Capstan tries again, after growing pauses of at most 15 minutes, and at once when the object changes';

const because = ' is blocked because:';
const ofOperation = /^(Held by|Torn down by|Waiting for) (ClusterOperation|an operation) /;
const ofReference = / do(es)? not exist$/;
/** What webhooks and policies of users do to a write; a pass that fails is repeated ever later. */
const ofWrite = /failed calling webhook|denied (the )?request/;
/** Obstacles that pass when the control plane is done. */
const passing = /is provisioning|is upgrading|Waiting for the upgrade/;

/** A MachineSet that a line names repeats what its owner says. */
const namedMachines = (line: string): Explanation => only(named(line), ({ object }) => object.kind === 'Machine');

/** What keeps a change from its next step, as the conditions of the activity name it, a complaint each. */
export const blockedChanges =
  (by: Explanation): Explanation =>
  (object) =>
    conditionsOf(object).flatMap(({ type, status, reason = '', message = '', lastTransitionTime: since }) => {
      const at = message.lastIndexOf(because);
      const isActivity = ['RollingOut', 'ScalingUp', 'ScalingDown'].includes(type);
      if (!isActivity || status !== 'True' || at < 0) return [];
      const what = oneLine(message.slice(0, at).split('\n')[0] ?? type);
      const lines = message
        .slice(at + because.length)
        .split('\n')
        .map(oneLine)
        .filter(Boolean);
      return lines.map((line): Complaint => {
        const isWithheld = ofOperation.test(line);
        const isPassing = passing.test(line) || isWaiting(line);
        return {
          object,
          type: `${type}/${line}`,
          reason: reason || type,
          message: `${what} is blocked because ${line}`,
          level: isWithheld || isPassing ? 'wait' : 'fault',
          since,
          rule: {
            by: isWithheld
              ? byOperation
              : ofReference.test(line)
                ? own('References')
                : isPassing
                  ? either(byInfrastructure, by)
                  : either(
                      only(by, ({ type: other }) => other.endsWith(`/${line}`)),
                      namedMachines(line),
                    ),
            next: ofWrite.test(line) ? retried : 'Capstan checks at least once a minute whether that has changed',
          },
        };
      });
    });

/** Conditions that report an activity, not a fault. */
export const activities: Readonly<Record<string, ConditionRule>> = Object.fromEntries(
  ['RollingOut', 'ScalingUp', 'ScalingDown', 'Remediating'].map((type) => [
    type,
    { bad: 'Never', fine: [type, `Not${type}`] },
  ]),
);

/** What a summary says of Machines that exist: it is written seconds after one of them is gone. */
export const ofExistingMachines = (message: string, graph: Graph): string | undefined => {
  if (message === '' || graph.ofKind('Machine').length === 0) return message;
  const isOfExisting = (line: string): boolean => {
    const [, names] = /^\* Machines? ([^:]+):/.exec(line) ?? [];
    return (
      !names || names.split(', ').some((name) => name.startsWith('...') || graph.get('Machine', name) !== undefined)
    );
  };
  const lines = message.split(/\n(?=\* )/).filter(isOfExisting);
  return lines.length > 0 ? lines.join('\n') : undefined;
};

/** What the conditions that summarize an object's Machines mean. `outdated` explains Machines that are not up to date. */
export const summariesOf = (machines: Explanation, outdated: Explanation): Readonly<Record<string, ConditionRule>> => ({
  MachinesReady: {
    level: 'wait',
    overdueAfter: 900,
    by: machines,
    about: ofExistingMachines,
    reasons: { NotReady: {}, ReadyUnknown: {} },
    fine: ['Ready', 'NoReplicas'],
  },
  MachinesUpToDate: {
    level: 'wait',
    by: outdated,
    about: ofExistingMachines,
    reasons: { NotUpToDate: {}, UpToDateUnknown: {} },
    fine: ['UpToDate', 'NoReplicas'],
  },
});

/** What the Cluster refers to explains members that wait for it. */
const ofCluster =
  (field: 'infrastructureRef' | 'controlPlaneRef'): Explanation =>
  (_, graph) =>
    graph.cluster ? referred(field)(graph.cluster, graph) : [];
export const byInfrastructure: Explanation = ofCluster('infrastructureRef');
export const byControlPlane: Explanation = ofCluster('controlPlaneRef');

/** The cluster does not answer. */
export const byProbe: Explanation = (_, graph) =>
  graph.complaints(graph.cluster).filter(({ type }) => type === 'RemoteConnectionProbe');

/** Whether its deletion would wait for a cluster that does not answer: its Node is drained first. */
const isStuck = (machine: KubeObject, graph: Graph): boolean =>
  (machine.status as { nodeRef?: unknown } | undefined)?.nodeRef !== undefined && byProbe(machine, graph).length > 0;

/** Has a Machine replaced; none where its deletion has begun already, or cannot go on. */
export const replaceMachine = (machine: KubeObject, graph: Graph): string[] =>
  isDeleting(machine) || isStuck(machine, graph) ? [] : [kubectl('delete', machine)];

/** What becomes of a Machine whose host or Node is lost. */
export const replacementOf = (machine: KubeObject, graph: Graph): string => {
  if (isStuck(machine, graph)) return 'Nothing replaces it until the API server of its cluster answers';
  return isDeleting(machine)
    ? 'Its Machine is being deleted'
    : 'A MachineHealthCheck that covers the Machine has it replaced; without one, nothing replaces it';
};
