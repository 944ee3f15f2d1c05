/** Whether a new snapshot differs from the last one in a way that a controller acts on. Pure. */
import { equal } from '../../../machinery/api/merge.ts';
import type { WorkloadNode, WorkloadSnapshot } from '../../ports/workload.ts';
import { uninitialized } from '../machine/node-patch.ts';

const isReady = ({ conditions }: WorkloadNode): boolean =>
  conditions.some(({ type, status }) => type === 'Ready' && status === 'True');

/**
 * A Node that is not ready, without what its Machine writes on it: those changes can wait for the
 * next change of the Node itself.
 */
const withoutMarks = (node: WorkloadNode): WorkloadNode =>
  isReady(node)
    ? node
    : { ...node, annotations: {}, taints: node.taints.filter(({ key }) => key !== uninitialized.key) };

const withoutAllMarks = (snapshot: WorkloadSnapshot): WorkloadSnapshot => ({
  ...snapshot,
  nodes: snapshot.nodes.map(withoutMarks),
});

export const isRelevantChange = (last: WorkloadSnapshot, next: WorkloadSnapshot): boolean =>
  !equal(last, next) && !equal(withoutAllMarks(last), withoutAllMarks(next));
