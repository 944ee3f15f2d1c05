/** IAM actions per call, from which the deployment's policies are generated. */
import type { Call } from '../../../kinds/ports/cloud/call.ts';
import { calls } from '../../../kinds/ports/cloud/calls.ts';
import { classicLoadBalancerCalls } from '../../../kinds/ports/cloud/elasticloadbalancing/classic-load-balancer.ts';
import type { CloudAction } from '../../../kinds/ports/cloud/index.ts';
import { type CloudService, serviceOf } from '../../../kinds/ports/cloud-limits.ts';
import type { IamActions, Permissions } from '../service/permissions.ts';

/** The call's own action comes first and names its service; the others are checked on the way. */
export const cloudPermissions = /* @__PURE__ */ Object.fromEntries(
  Object.entries(calls).flatMap(([service, resources]) =>
    Object.entries<Call>(Object.assign({}, ...resources)).map(([action, { iam, also = [] }]): [string, IamActions] => [
      action,
      [iam ?? `${service}:${action}`, ...also],
    ]),
  ),
) as Permissions<CloudAction>;

type ActionIn<Resource> = Resource extends unknown ? keyof Resource & CloudAction : never;
type ClassicAction = keyof typeof classicLoadBalancerCalls;

/** A service's API, which has a client of its own. */
export type Api = CloudService | 'classic';
export type ActionOf<T extends Api> = T extends CloudService
  ? Exclude<ActionIn<(typeof calls)[T][number]>, ClassicAction>
  : ClassicAction;
export const apiOf = (action: CloudAction): Api =>
  Object.hasOwn(classicLoadBalancerCalls, action) ? 'classic' : serviceOf(action);

/** IAM actions of a call, its own first. */
export const iamActionsOf = (action: CloudAction): IamActions => cloudPermissions[action];
/** The IAM action of the call itself. */
export const iamActionOf = (action: CloudAction): string => cloudPermissions[action][0];
