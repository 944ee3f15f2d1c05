import { equal } from '../../../machinery/api/merge.ts';
import { definitionType, established } from '../api/custom-resources.ts';
import type { ClusterController } from '../world.ts';

/** Reports each CustomResourceDefinition as established. */
export const definitions: ClusterController = (world, plan) => {
  for (const definition of world.list(definitionType)) {
    const next = established(definition, world.now);
    if (!equal(next, definition)) plan.update(definitionType, next);
  }
};
