/** A cluster that asks for more from its beginning: load balancers and a network that are not as usual. */
import { comesToBe } from './balancing.ts';
import { deleteAndCreateAgain } from './deletions.ts';
import { moreOf } from './more.ts';
import type { Scene } from './scene.ts';

export const createWithMore = async (scene: Scene) => {
  const { draw, life, settled, wish } = scene;
  await settled(60);
  if (!life.wish) return;
  wish.infrastructure = moreOf(draw, wish);
  await deleteAndCreateAgain(scene);
  await settled(90);
  await comesToBe(scene, `that ${wish.name} has what it asks for`);
};
