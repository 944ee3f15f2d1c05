/**
 * Why an object is not well: from its complaints down to those that no other object explains. Pure.
 * The first cause is the one to act on.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { commandsIn } from './commands.ts';
import { conditionsOf } from './complaints.ts';
import type { Complaint, Graph } from './graph.ts';
import { remediesIn } from './remedies.ts';
import { keyOf, type Root, rootsOf } from './roots.ts';
import { type Level, levels, type Messages } from './rule.ts';

export interface Named {
  kind: string;
  namespace?: string;
  name: string;
}

export interface Cause extends Named {
  /** Objects of the same kind with the same cause. */
  others: string[];
  /** The type of the condition, or what else reports it. */
  type: string;
  reason: string;
  /** With the words of AWS or of the host. */
  message: string;
  level: Level;
  since?: string;
  next?: string;
  advice?: string;
  commands: string[];
  /** The objects between the cause and what was asked for, the cause's neighbour first. */
  explains: Named[];
}

const nameOf = ({ kind, metadata: { namespace, name } }: KubeObject): Named => ({
  kind,
  ...(namespace !== undefined && { namespace }),
  name,
});

const isSameObject = (a: Named, b: Named): boolean => a.kind === b.kind && a.name === b.name;

const explainedBy = ({ complaint, path }: Root): Named[] =>
  path
    .map(({ object }) => nameOf(object))
    .filter((one, at, all) => all.findLastIndex((other) => isSameObject(one, other)) === at)
    .filter((one) => !isSameObject(one, nameOf(complaint.object)))
    .toReversed();

/** Nothing is known against it. */
const isRestorable = (snapshot: KubeObject): boolean =>
  (snapshot.status as { phase?: string } | undefined)?.phase === 'Succeeded' &&
  conditionsOf(snapshot).every(({ type, status }) => type !== 'Ready' || status === 'True');

const isRestore = (command: string): boolean => command.startsWith('capstan snapshot restore ');

/** A restore, which alone has a snapshot in its spec, that waits or runs: another one would be refused. */
const restoringIn = (graph: Graph): KubeObject | undefined =>
  graph.ofKind('ClusterOperation').find(({ spec, status }) => {
    const { phase = 'Pending' } = (status ?? {}) as { phase?: string };
    return (
      (spec as { snapshot?: string } | undefined)?.snapshot !== undefined && ['Pending', 'Running'].includes(phase)
    );
  });

/** Whether there is a snapshot for a command that restores one, or that leaves its NAME to the user. */
const isPossible = (command: string, graph: Graph): boolean => {
  const [, name = /\bNAME\b/.exec(command)?.[0]] = /^capstan snapshot restore (\S+)/.exec(command) ?? [];
  return (
    name === undefined ||
    graph.ofKind('EtcdSnapshot').some((one) => isRestorable(one) && (name === 'NAME' || one.metadata.name === name))
  );
};

/** What removes a cause comes before another attempt or the end, and these before what goes on in spite of it. */
const placeOf = (command: string): number => {
  if (command.includes(' --override ')) return 2;
  return /^(capstan retry|kubectl delete cluster) /.test(command) ? 1 : 0;
};
const inOrder = (commands: readonly string[]): string[] =>
  [...new Set(commands)].sort((a, b) => placeOf(a) - placeOf(b));

const causeOf = (roots: readonly Root[], graph: Graph): Cause => {
  const [first] = roots as [Root, ...Root[]];
  const { object, type, reason, message, level, since, rule } = first.complaint;
  const textOf = (text: Messages | undefined) => (typeof text === 'function' ? text(object, graph, message) : text);
  const [follows, advice] = [textOf(rule?.next), textOf(rule?.advice)];
  const named = commandsIn(message).filter((command) => isPossible(command, graph));
  const ruled = rule?.run?.(object, graph, message) ?? [];
  const advised = [...named, ...remediesIn(message, object, graph), ...ruled];
  const restoring = advised.some(isRestore) ? restoringIn(graph) : undefined;
  const next = restoring ? `ClusterOperation ${restoring.metadata.name} restores a snapshot already` : follows;
  const commands = restoring ? advised.filter((command) => !isRestore(command)) : advised;
  return {
    ...nameOf(object),
    others: roots.slice(1).map(({ complaint }) => complaint.object.metadata.name),
    type,
    reason,
    message,
    level,
    ...(since !== undefined && { since }),
    ...(next !== undefined && { next }),
    ...(advice !== undefined && { advice }),
    commands: inOrder(commands),
    explains: explainedBy(first),
  };
};

/** The same message, but for the names of the objects. */
const likeness = ({ object, type, reason, message }: Complaint): string =>
  [object.kind, type, reason, message.replaceAll(/\bi-[0-9a-f]+\b/g, 'i-').replaceAll(object.metadata.name, '')].join(
    '\n',
  );

const firstOfEach = (roots: readonly Root[], key: (complaint: Complaint) => string): Root[] =>
  [...Map.groupBy(roots, ({ complaint }) => key(complaint)).values()].flatMap(([first]) => first ?? []);

/** Conditions of an object that say the same say it once. */
const sameMessage = ({ object: { kind, metadata }, level, message }: Complaint): string =>
  [kind, metadata.namespace, metadata.name, level, message].join('\n');

const grouped = (roots: readonly Root[], graph: Graph): Cause[] => {
  const distinct = firstOfEach(firstOfEach(roots, keyOf), sameMessage);
  const ordered = levels.flatMap((level) => distinct.filter(({ complaint }) => complaint.level === level));
  return [...Map.groupBy(ordered, ({ complaint }) => likeness(complaint)).values()].map((same) => causeOf(same, graph));
};

/** What stops everything: the freeze of the installation, a pause of the Cluster. */
const aboveAll = (graph: Graph): Root[] =>
  [...graph.ofKind('Installation'), ...(graph.cluster ? [graph.cluster] : [])]
    .flatMap((object) => graph.complaints(object))
    .filter(({ level, object }) => level === 'hold' && (object.kind === 'Installation' || object === graph.cluster))
    .map((complaint) => ({ complaint, path: [] }));

/** The causes of an object's complaints, the one to act on first. */
export const causesOf = (object: KubeObject, graph: Graph): Cause[] => {
  const [roots = []] = rootsOf([graph.complaints(object)], graph);
  return grouped([...aboveAll(graph), ...roots], graph);
};

/** Of a whole cluster: what the Cluster suffers from, then what else is not well in it. */
export const causesOfCluster = (graph: Graph): Cause[] => {
  const { cluster, objects } = graph;
  if (!cluster) return [];
  const others = objects.filter((object) => object !== cluster).flatMap(graph.complaints);
  const [own = [], rest = []] = rootsOf([graph.complaints(cluster), others], graph);
  const above = aboveAll(graph);
  const first = grouped([...above, ...own], graph);
  const keys = new Set(above.map(({ complaint }) => keyOf(complaint)));
  const more = grouped(
    rest.filter(({ complaint }) => !keys.has(keyOf(complaint))),
    graph,
  );
  const isWait = ({ level }: Cause) => level === 'wait';
  return [
    ...first.filter((one) => !isWait(one)),
    ...more.filter((one) => !isWait(one)),
    ...first.filter(isWait),
    ...more.filter(isWait),
  ];
};

/** RFC 3339, with what introduces it. */
const times =
  / ?(\((started at|since|until) )?\b(since|until|before|at|of|for)? ?\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z\)?/g;

/** One sentence without times, which changes only with the cause. */
export const messageOf = ({
  kind,
  name,
  others,
  message,
}: Pick<Cause, 'kind' | 'name' | 'others' | 'message'>): string => {
  const subject = others.length === 0 ? `${kind} ${name}` : `${kind} ${name} and ${others.length} more`;
  const text = message.replaceAll(times, '');
  return /^(is|refers|has|does|waits|no) /.test(text) ? `${subject} ${text}` : `${subject}: ${text}`;
};
