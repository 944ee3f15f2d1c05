/** Causes as text. */
import { type Cause, conditionsOf, isDeleting, messageOf, type Named } from '../../kinds/common/causes/index.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { oneLine, wrap } from '../describe/layout.ts';
import { duration, renderTable } from '../table.ts';

const widest = 100;
const label = 10;

const field = (name: string, text: string, columns: number): string[] =>
  wrap(text, columns - label - 2).map((line, at) => `  ${(at === 0 ? name : '').padEnd(label)}${line}`);

const named = ({ kind, name }: Named): string => `${kind} ${name}`;

const sinceOf = ({ since }: Cause, now: number): string[] =>
  since === undefined ? [] : [`${duration(now - Date.parse(since))} (${since})`];

/** Commands are never broken. */
const linesOf = (cause: Cause, now: number, columns: number): string[] => {
  const { others, explains, next, advice, commands } = cause;
  return [
    ...wrap(messageWithTimes(cause), columns),
    ...(others.length > 0 ? field('also', others.join(', '), columns) : []),
    ...sinceOf(cause, now).flatMap((text) => field('since', text, columns)),
    ...(explains.length > 0 ? field('holds up', explains.map(named).join(', '), columns) : []),
    ...(next === undefined ? [] : field('next', next, columns)),
    ...(advice === undefined ? [] : field('do', advice, columns)),
    ...commands.map(
      (command, at) => `  ${(at === 0 && advice === undefined ? 'do' : '').padEnd(label)}${oneLine(command)}`,
    ),
  ];
};

const messageWithTimes = ({ kind, name, others, message }: Cause): string => {
  const subject = others.length === 0 ? `${kind} ${name}` : `${kind} ${name} and ${others.length} more`;
  return /^(is|refers|has|does|waits|no) /.test(message) ? `${subject} ${message}` : `${subject}: ${message}`;
};

const stateOf = (object: KubeObject, causes: readonly Cause[]): string => {
  const of = `${object.kind} ${object.metadata.namespace ? `${object.metadata.namespace}/` : ''}${object.metadata.name}`;
  if (causes.length === 0) return `${of}: nothing is wrong.`;
  if (isDeleting(object)) return `${of} is being deleted, and not gone, because:`;
  const isAvailable = conditionsOf(object).some(({ type, status }) => type === 'Available' && status === 'True');
  if (causes.every(({ level }) => level === 'wait')) return `${of}: nothing has failed. It waits, because:`;
  if (isAvailable) return `${of} is Available, but:`;
  return `${of} is not well, because:`;
};

/** Further causes of a large cluster. */
const most = 8;

export const renderCauses = (object: KubeObject, causes: readonly Cause[], now: number, columns = widest): string => {
  const width = Math.max(60, Math.min(columns, widest));
  const [first, ...rest] = causes;
  const shown = rest.slice(0, most - 1);
  const hidden = rest.length - shown.length;
  return [
    ...wrap(stateOf(object, causes), width),
    ...(first ? ['', ...linesOf(first, now, width)] : []),
    ...(shown.length > 0 ? ['', 'Besides:'] : []),
    ...shown.flatMap((cause) => ['', ...linesOf(cause, now, width)]),
    ...(hidden > 0 ? ['', `… ${hidden} more: add -o json`] : []),
  ].join('\n');
};

export interface Report {
  object: KubeObject;
  causes: readonly Cause[];
}

export const causesAsData = ({ causes }: Report): object[] =>
  causes.map((cause) => ({ sentence: messageOf(cause), ...cause }));

export const dataOf = ({ object, causes }: Report): object => ({
  kind: object.kind,
  ...(object.metadata.namespace !== undefined && { namespace: object.metadata.namespace }),
  name: object.metadata.name,
  isWell: causes.length === 0,
  causes: causesAsData({ object, causes }),
});

/** Clusters that are not well, with the first cause each. */
export const renderReports = (reports: readonly Report[], now: number): string => {
  const ill = reports.filter(({ causes }) => causes.length > 0);
  if (reports.length === 0) return 'No clusters found.';
  if (ill.length === 0)
    return `Nothing is wrong with ${reports.length === 1 ? 'the cluster' : `the ${reports.length} clusters`}.`;
  const rows = ill.map(({ object: { metadata }, causes }) => [
    metadata.namespace ?? '',
    metadata.name,
    causes[0]!.level,
    causes[0]!.since === undefined ? '' : duration(now - Date.parse(causes[0]!.since)),
    messageWithTimes(causes[0]!),
  ]);
  const table = renderTable([['NAMESPACE', 'NAME', 'LEVEL', 'SINCE', 'FIRST CAUSE'], ...rows]);
  const [one] = ill;
  return `${table}\n\nMore of one: capstan why cluster ${one!.object.metadata.name} -n ${one!.object.metadata.namespace}`;
};
