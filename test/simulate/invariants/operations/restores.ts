/** A restore destroys nothing on remembered proof, and has no phase without a way on. */
import type { EtcdSnapshot } from '../../../../kinds/capstan/etcd-snapshot/index.ts';
import type { ClusterOperation } from '../../../../kinds/operations/cluster-operation/index.ts';
import type { Rule } from '../rule.ts';

const stepIn = (operation: ClusterOperation | undefined, name: string) =>
  operation?.status?.steps?.find((step) => step.name === name);

/**
 * When members begin to stop, the file was read for this very restore, and the present is saved, or the
 * first step says why it could not be.
 */
export const provenBefore: Rule = ({ world: { mirror } }, broken) => ({
  onCommit: ({ object, before }) => {
    if (object?.kind !== 'ClusterOperation') return;
    const operation = object as ClusterOperation;
    const { metadata, spec, status = {} } = operation;
    if (spec?.type !== 'restore' || !stepIn(operation, 'StopMembers')) return;
    if (stepIn(before as ClusterOperation | undefined, 'StopMembers')) return;
    const fail = (what: string) => {
      throw broken(`${metadata.name} stops members, but ${what}`);
    };
    const snapshot = mirror.get<EtcdSnapshot>('EtcdSnapshot', metadata.namespace ?? '', spec.snapshot ?? '');
    const { verification } = snapshot?.status ?? {};
    if (snapshot && (verification?.request !== metadata.name || !verification.valid))
      fail(`the file of ${spec.snapshot} was not read for it`);
    const { message = '' } = stepIn(operation, 'Preflight') ?? {};
    const isKept = (status.disks?.length ?? 0) > 0 || /no host with a disk of it is left|Overridden by/.test(message);
    if (status.before === undefined && !isKept) fail(`the present is neither saved nor kept: ${message}`);
  },
});

/** One that was cancelled ends by itself, once its workflow records that. */
const exit =
  /run: capstan |Once its first Machine serves|until that is done|until nothing is left|ends when|capstan\.dev\/retry|^Cancelled: /;

/** Of operations that wait for their users. */
export const namesExit: Rule = (_, broken) => ({
  onCommit: ({ object }) => {
    if (object?.kind !== 'ClusterOperation') return;
    const { metadata, spec, status } = object as ClusterOperation;
    const isOfUsers = spec?.type === 'upgrade' || spec?.type === 'restore';
    if (!isOfUsers || (status?.phase !== 'Held' && status?.phase !== 'Paused')) return;
    const message = status.message ?? '';
    if (!exit.test(message) && !/spec\.paused/.test(message))
      throw broken(`${metadata.name} is ${status.phase}, and names no way on: ${message}`);
  },
});
