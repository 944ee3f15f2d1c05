import { ApiError } from '../api/errors.ts';
import type { KubeObject, ObjectKey } from '../api/object.ts';
import type { Decision } from '../store/store.ts';
import { type Call, storeOf } from './call.ts';
import { onceBegun } from './status.ts';

/**
 * After its timeout the client has given up and may have retried: a late write could undo the
 * retry's effect.
 */
const expectInTime = ({ server: { clock }, began, longest }: Call): void => {
  if (clock.now() - began > longest)
    throw new ApiError(504, 'Timeout', 'Timeout: request did not complete within the allotted timeout', {});
};

/** Commits a decision, or only computes it for a dry run. */
export const carryOut = async (
  call: Call,
  key: ObjectKey,
  dryRun: boolean,
  decide: (current: KubeObject | undefined) => Promise<Decision>,
  retry: boolean,
): Promise<{ object: KubeObject; did: Decision['do'] }> => {
  const { resource } = call;
  const store = storeOf(call);
  if (dryRun) {
    const current = await store.get(resource.type, key);
    await call.unchanged;
    const decision = await decide(current);
    return { object: decision.object, did: decision.do };
  }
  let did: Decision['do'] = 'nothing';
  let existed = false;
  const object = await store.commit(
    resource.type,
    key,
    async (current) => {
      await call.unchanged;
      expectInTime(call);
      const decision = await decide(current);
      did = decision.do;
      existed = current !== undefined;
      return decision;
    },
    { retry },
  );
  if (did !== 'nothing') {
    try {
      await resource.changed?.(did === 'remove' ? 'deleted' : existed ? 'updated' : 'created', object);
    } catch (error) {
      throw onceBegun(error);
    }
  }
  return { object, did };
};
