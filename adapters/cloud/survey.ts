/** Reads a region by page: one call for a thousand machines of all clusters. */
import type { Cloud } from '../../kinds/ports/cloud/index.ts';
import { emptySurvey, type Survey } from '../../kinds/ports/installation.ts';
import { lists } from '../../kinds/ports/lists.ts';
import { listed, listTagged } from './tagged.ts';

/** Sequentially, because a sweep has time and leaves the region's request rates to controllers. */
export const surveyed = async (
  cloud: Cloud,
  region: string,
  tags: Record<string, string>,
  of: readonly (keyof Survey)[],
): Promise<Survey> => {
  const filters = Object.entries(tags).map(([key, value]) => ({ Name: `tag:${key}`, Values: [value] }));
  const pages = [];
  for (const what of of)
    pages.push([
      what,
      what === 'secrets'
        ? await listTagged(cloud, region, tags, ['secretsmanager:secret', 'ssm:parameter'])
        : await listed<unknown>(cloud, region, lists[what], filters),
    ]);
  return { ...emptySurvey, ...Object.fromEntries(pages) };
};
