/** What the workers have in common. */
import type { Types, Uses } from '../permissions/uses.ts';
import type { WorkerClass } from '../worker-classes.ts';

/** They decide which role of which account a namespace may use, and who is which user. */
const identities = ['awscluster*identities.infrastructure.cluster.x-k8s.io', 'accessentries.capstan.dev'];
/**
 * What controllers write: kinds of Cluster API and Capstan, and Events. Not Secrets, which only those that need them name, and
 * no kind of users.
 */
const ownKinds: Types = { types: ['*.cluster.x-k8s.io', '*.capstan.dev', 'events'], but: identities };
export const withSecrets: Types = { ...ownKinds, types: [...ownKinds.types, 'secrets', 'configmaps'] };

/** Controllers read quotas, and policies with any parameters. None of them lists what grants rights. */
const listed: Types = { types: ['*'], but: [...identities, '*.rbac.authorization.k8s.io'] };

export const workers = (of: WorkerClass, objects: Types = ownKinds): Uses => ({
  objects,
  ...(!objects.types.includes('*') && { lists: listed }),
  work: 'write',
  wakes: [of],
  handles: of,
  webhooks: true,
});
