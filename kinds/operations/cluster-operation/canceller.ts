/** Records who cancels an operation, whatever a client says about it. Pure. */
import type { Admission, User } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { ClusterOperation } from './schema.ts';

const longest = 512;

/** A role of AWS has many sessions, whose name often is that of the person. */
const nameOf = ({ username, extra }: User): string => {
  const [session] = extra?.sessionName ?? [];
  return (session ? `${username} (${session})` : username).slice(0, longest);
};

export const withCanceller = (object: KubeObject, { old, user, byController }: Admission): KubeObject => {
  const { spec } = object as ClusterOperation;
  if (!spec || byController) return object;
  const before = (old as ClusterOperation | undefined)?.spec;
  const { cancelledBy: _, ...rest } = spec;
  const canceller = before?.cancel ? before.cancelledBy : spec.cancel ? nameOf(user) : undefined;
  return { ...object, spec: { ...rest, ...(canceller !== undefined && { cancelledBy: canceller }) } };
};
