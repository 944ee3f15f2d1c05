/** A cluster created with optional settings of its load balancers and its network. */

import type { Scene } from '../context.ts';
import { deleteAndCreateAgain } from '../operations/deletions.ts';
import { comesToBe } from './load-balancers.ts';
import { moreOf } from './options.ts';

export const createWithOptions = async (scene: Scene) => {
  const { draw, life, settled, wish } = scene;
  await settled(60);
  if (!life.wish) return;
  wish.infrastructure = moreOf(draw, wish);
  await deleteAndCreateAgain(scene);
  await settled(90);
  await comesToBe(scene, `that ${wish.name} has the requested settings`);
};
