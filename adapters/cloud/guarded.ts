/**
 * The Cloud port of the controllers. Just before a destructive call, and before any other that comes with
 * tags of proof, it reads the named resources again, which must carry these tags.
 */
import {
  type Cloud,
  type CloudAction,
  CloudError,
  type CloudInput,
  isNotFound,
  type Principal,
} from '../../kinds/ports/cloud/index.ts';
import type { JsonValue } from '../../machinery/api/object.ts';
import { evidenceOf } from './evidence.ts';
import type { Sessions } from './sessions.ts';

/** `read` returns undefined for a resource that definitely does not exist. */
export interface GuardedCloud {
  read(operation: string, input: JsonValue): Promise<unknown>;
  call(operation: string, input: JsonValue): Promise<void>;
}

interface Request<A extends CloudAction> {
  region: string;
  input: CloudInput<A>;
  /** Tags that every named resource must still carry. */
  owned?: Record<string, string>;
  /** The roles that are assumed for it; by default none. */
  as?: Principal;
}

const destroys = /^(Delete|Remove|Terminate|Detach|Disassociate|Release|Revoke|Replace|Deregister)/;

const prove = async <A extends CloudAction>(
  cloud: Cloud,
  operation: A,
  { region, input, owned }: Request<A>,
): Promise<'owned' | 'absent'> => {
  const look = evidenceOf(operation);
  if (!look || !owned || Object.keys(owned).length === 0)
    throw new CloudError('NotOwned', `${operation} needs a proof of ownership, and came without`);
  const resources = await look(cloud, region, input);
  for (const { id, tags } of resources)
    for (const [key, value] of Object.entries(owned))
      if (!tags.some((tag) => tag.Key === key && tag.Value === value))
        throw new CloudError('NotOwned', `${operation}: ${id} does not carry the tag ${key}=${value}`);
  return resources.length > 0 ? 'owned' : 'absent';
};

// Errors that time or a user must resolve: retried at the plan's interval, without growing backoff.
const waits = /^(Invalid|Insufficient|Unsupported$|DependencyViolation$)|NotFound$|LimitExceeded$/;
const refusingRoles =
  (own: Cloud): Sessions =>
  (_, roles) => {
    if (roles.length === 0) return own;
    throw new CloudError('UnsupportedOperation', 'this worker cannot assume roles');
  };

const failed = (error: unknown, message?: string): unknown => {
  if (!(error instanceof CloudError)) return error;
  const known = message === undefined ? error : new CloudError(error.code, message, { cause: error });
  return waits.test(error.code) ? Object.assign(known, { consequence: 'wait' }) : known;
};

/** `cloudOf`: for requests with roles; by default the cloud refuses them. */
export const guarded = (own: Cloud, cloudOf: Sessions = refusingRoles(own)): GuardedCloud => ({
  read: async (operation, request) => {
    const { region, input, as = [] } = request as unknown as Request<CloudAction>;
    try {
      return await cloudOf(region, as).call(region, operation as CloudAction, input);
    } catch (error) {
      if (error instanceof CloudError && isNotFound(error.code)) return undefined;
      // Conditions show only the message of a failed read.
      throw failed(error, error instanceof CloudError ? `${error.code}: ${error.message}` : undefined);
    }
  },
  call: async (operation, request) => {
    const action = operation as CloudAction;
    const given = request as unknown as Request<CloudAction>;
    const destructive = destroys.test(operation);
    try {
      const cloud = cloudOf(given.region, given.as ?? []);
      if ((destructive || given.owned) && (await prove(cloud, action, given)) === 'absent') return;
      await cloud.call(given.region, action, given.input);
    } catch (error) {
      // The resource is already gone, as desired.
      if (destructive && error instanceof CloudError && isNotFound(error.code)) return;
      throw failed(error);
    }
  },
});
