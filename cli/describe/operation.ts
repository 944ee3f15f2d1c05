/** The operation of a cluster and its steps, as rows of its tree. */
import { isOver } from '../../kinds/operations/cluster-operation/ended.ts';
import type { ClusterOperation, OperationStep } from '../../kinds/operations/cluster-operation/schema.ts';
import { phaseOf } from '../operation.ts';
import { duration } from '../table.ts';
import { row, type TreeNode } from './node.ts';

/** `open`: a successful operation is one row. */
export type Steps = 'all' | 'open';

export const stepPrefix = 'Step/';

const took = (started: string | undefined, ended: string | undefined): string =>
  started && ended ? `took ${duration(Date.parse(ended) - Date.parse(started))}` : '';

const stepRow = ({ name, started, ended, verdict, message = '' }: OperationStep): TreeNode => ({
  ...row(`${stepPrefix}${name}`),
  status: verdict,
  reason: took(started, ended),
  since: ended ?? started,
  message,
});

const summary = (steps: OperationStep[]): TreeNode => {
  const ended = steps.at(-1)?.ended;
  return {
    ...row(steps.length === 1 ? '1 step' : `${steps.length} steps`),
    status: 'Succeeded',
    reason: took(steps[0]?.started, ended),
    since: ended,
  };
};

const stepRows = ({ status }: ClusterOperation, steps: Steps): TreeNode[] => {
  const all = status?.steps ?? [];
  if (steps === 'all') return all.map(stepRow);
  const succeeded = all.filter(({ verdict }) => verdict === 'Succeeded');
  const open = all.filter(({ verdict }) => verdict !== 'Succeeded');
  return [...(succeeded.length > 0 && status?.phase !== 'Succeeded' ? [summary(succeeded)] : []), ...open.map(stepRow)];
};

/** A running operation's message is shown at its step. */
const messageOf = ({ status }: ClusterOperation): string => {
  const { phase, late, deadline, message = '' } = status ?? {};
  if (phase !== 'Running') return message;
  return late ? `late: ${message}` : deadline ? `until ${deadline}` : '';
};

export const operationRow = (operation: ClusterOperation, steps: Steps): TreeNode => {
  const { metadata, spec, status } = operation;
  const ended = isOver(operation) ? status?.ended : undefined;
  const attempt = `${spec?.type}, attempt ${spec?.tries ?? spec?.attempt}`;
  const time = took(status?.started, ended);
  return {
    ...row(`ClusterOperation/${metadata.name}`, stepRows(operation, steps)),
    status: phaseOf(operation),
    reason: time ? `${attempt}, ${time}` : attempt,
    since: ended ?? status?.started ?? metadata.creationTimestamp,
    message: messageOf(operation),
  };
};
