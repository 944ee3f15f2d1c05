/** The station of a client's write at which the policies of users decide on it. */
import type { Reviewer, Verdict } from '../admission/review.ts';
import { type ReviewedWrite, reviewOf } from '../admission/review-of.ts';
import type { Operation } from '../api/admission.ts';
import type { Admission } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import { type Call, warn } from './call.ts';
import { shownFromStored } from './convert.ts';
import { optionsObject } from './options.ts';

/** The bodies of a subresource that are no objects of the kind, such as Scale. */
export interface Bodies {
  group: string;
  version: string;
  kind: string;
  of: (object: KubeObject) => KubeObject;
  /** The object with what a changed body says. */
  into: (object: KubeObject, body: KubeObject) => KubeObject;
}

const operations: Record<Admission['operation'], Operation> = { create: 'CREATE', update: 'UPDATE', delete: 'DELETE' };
const methods: Record<string, string> = { POST: 'CreateOptions', PUT: 'UpdateOptions', PATCH: 'PatchOptions' };

const take = (call: Call, { warnings, annotations, refusal }: Verdict): void => {
  for (const warning of warnings) warn(call, warning);
  Object.assign(call.audited, annotations);
  if (refusal) throw refusal;
};

const writeOf = (call: Call, admission: Admission): Omit<ReviewedWrite, 'object' | 'old' | 'name'> => {
  const { resource, version, path, user, server, query, request } = call;
  const { operation, dryRun, subresource = '' } = admission;
  return {
    operation: operations[operation],
    kind: resource.kind,
    version,
    subresource,
    namespace: path.namespace,
    user,
    dryRun,
    options: optionsObject(operation === 'delete' ? 'DeleteOptions' : methods[request.method]!, query),
    authorize: server.rights.authorize,
    timeLeft: () => call.began + call.longest - server.clock.now(),
  };
};

export interface Changed {
  /** The admitted object, in the storage version. */
  object?: KubeObject;
  /** The stored one. */
  old?: KubeObject | undefined;
  admission: Admission;
  bodies?: Bodies | undefined;
}

const validateWith = async (
  reviewer: Reviewer,
  call: Call,
  { object, old, admission, bodies }: Changed,
): Promise<void> => {
  const { resource, version } = call;
  const shown = async (stored: KubeObject | undefined) => {
    const one = stored && (await shownFromStored(resource.kind, version, stored));
    return one && bodies ? bodies.of(one) : one;
  };
  const review = reviewOf({
    ...writeOf(call, admission),
    object: await shown(object),
    old: await shown(old),
    name: (object ?? old)?.metadata.name ?? '',
    bodies,
  });
  take(call, await reviewer.validate(review));
};

export interface Sent {
  /** In the version of the request; absent in a deletion. */
  object?: KubeObject;
  /** The stored one, in the same version. */
  old?: KubeObject | undefined;
  admission: Admission;
  bodies?: Bodies | undefined;
}

/** The object as users change it. Throws an ApiError if a webhook refuses it. */
export const mutateByUsers = async (
  call: Call,
  { object, old, admission, bodies }: Sent,
): Promise<KubeObject | undefined> => {
  const reviewer = await call.server.admission?.reviewer();
  if (!reviewer) return object;
  const shown = (one: KubeObject | undefined) => (one && bodies ? bodies.of(one) : one);
  const mutation = await reviewer.mutate(
    reviewOf({
      ...writeOf(call, admission),
      object: shown(object),
      old: shown(old),
      name: (object ?? old)?.metadata.name ?? '',
      bodies,
    }),
  );
  take(call, mutation);
  return bodies && object && mutation.object ? bodies.into(object, mutation.object) : mutation.object;
};

/** Throws an ApiError if a policy or a webhook refuses the change. */
export const validateByUsers = async (call: Call, changed: Changed): Promise<void> => {
  const reviewer = await call.server.admission?.reviewer();
  if (reviewer) await validateWith(reviewer, call, changed);
};
