/** A pass as the loop runs it for an object of a cluster whose operation may hold it or tear it down. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Context, Controller, Plan, Reader, StatusOf } from '../../../machinery/api/reconcile.ts';
import { planOf, restorationOf, restoring } from '../../../machinery/api/withholding.ts';
import { clusterScope } from './scope.ts';

/** The context of a pass over the object. */
export const operatedContext = <O extends KubeObject>(
  { clusterUidOf }: Pick<Controller<O, never>, 'clusterUidOf'>,
  object: O,
  cluster: KubeObject | undefined,
  context: Context,
): Context => {
  const withheld = clusterScope.withheldFrom(cluster, { object, uid: clusterUidOf?.(object) }, context.config);
  return { ...context, ...(withheld && { withheld }) };
};

/** The plan for an observed object; `fresh`: what is observed once it has its user-provided spec again. */
export const operatedPlan = <O extends KubeObject, S>(
  controller: Pick<Controller<O, S>, 'reconcile' | 'release'>,
  object: O,
  observed: S,
  within: Context,
  observe: (fresh: O) => S = () => observed,
): Plan<StatusOf<O>> => {
  const plan = planOf(controller, object, observed, within);
  if (!plan.released) return plan;
  const restoration = restorationOf(object, plan, clusterScope.givenPatch(object));
  const fresh = restoration.fresh as O;
  return restoring(
    object,
    plan,
    restoration,
    plan.released.status ?? planOf(controller, fresh, observe(fresh), within).status,
  );
};

export const operatedPass = <O extends KubeObject, S>(
  controller: Controller<O, S>,
  object: O,
  read: Reader,
  cluster: KubeObject | undefined,
  context: Context,
): Plan<StatusOf<O>> => {
  const { clusterUidOf } = controller;
  const within = operatedContext({ ...(clusterUidOf && { clusterUidOf }) }, object, cluster, context);
  const observe = (seen: O) => controller.observe(seen, read, within);
  return operatedPlan(controller, object, observe(object), within, observe);
};
