import { type Definition, definitionType } from '../../../machinery/custom/definition.ts';
import { statusOf } from '../../../machinery/custom/names.ts';
import type { ClusterController } from '../world.ts';

/** Accepts the names of each CustomResourceDefinition, and reports it as established. */
export const definitions: ClusterController = (world, plan) => {
  const all = world.list(definitionType) as Definition[];
  for (const [i, definition] of all.entries()) {
    const group = all.filter(({ spec }) => spec?.group === definition.spec?.group);
    const status = statusOf(definition, group, world.now);
    if (status === definition.status) continue;
    all[i] = { ...definition, status };
    plan.update(definitionType, all[i]);
  }
};
