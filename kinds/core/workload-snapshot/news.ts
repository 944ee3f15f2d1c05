/** Whether what was seen of a cluster is news to anybody. Pure. */
import { equal } from '../../../machinery/api/merge.ts';
import type { WorkloadNode, WorkloadSnapshot } from '../../ports/workload.ts';
import { uninitialized } from '../machine/node-patch.ts';

const isReady = ({ conditions }: WorkloadNode): boolean =>
  conditions.some(({ type, status }) => type === 'Ready' && status === 'True');

/** Of a Node that is not ready, all but what its Machine writes on it: that is told along with what the Node says itself. */
const withoutMarks = (node: WorkloadNode): WorkloadNode =>
  isReady(node)
    ? node
    : { ...node, annotations: {}, taints: node.taints.filter(({ key }) => key !== uninitialized.key) };

const withoutAllMarks = (snapshot: WorkloadSnapshot): WorkloadSnapshot => ({
  ...snapshot,
  nodes: snapshot.nodes.map(withoutMarks),
});

export const isNews = (last: WorkloadSnapshot, next: WorkloadSnapshot): boolean =>
  !equal(last, next) && !equal(withoutAllMarks(last), withoutAllMarks(next));
