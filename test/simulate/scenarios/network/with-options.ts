/** A cluster created with optional settings of its load balancers and its network. */

import type { ScenarioContext } from '../context.ts';
import { deleteAndCreateAgain } from '../operations/deletions.ts';
import { comesToBe } from './load-balancers.ts';
import { moreOf } from './options.ts';

export const createWithOptions = async (context: ScenarioContext) => {
  const { draw, life, settled, desired } = context;
  await settled(60);
  if (!life.desired) return;
  desired.infrastructure = moreOf(draw, desired);
  await deleteAndCreateAgain(context);
  await settled(90);
  await comesToBe(context, `that ${desired.name} has the requested settings`);
};
