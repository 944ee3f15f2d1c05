/** No operation is left without somebody who drives it: in the end each has a verdict, and no workflow goes on. */
import type { ClusterOperation } from '../../../kinds/cluster-operation/index.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

export const operations = ({ world }: Setting): Invariant => ({
  atEnd: async () => {
    const open = world.mirror
      .all<ClusterOperation>('ClusterOperation')
      .filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending');
    const running = (await world.executions.list()).filter(({ status }) => status === 'RUNNING');
    if (open.length > 0)
      throw new Violation(
        'operations end',
        open.map(({ metadata, status }) => `${metadata.name} ${status?.phase}`).join(', '),
      );
    if (running.length > 0)
      throw new Violation('operations end', running.map(({ name, state }) => `${name} in ${state}`).join(', '));
  },
});
