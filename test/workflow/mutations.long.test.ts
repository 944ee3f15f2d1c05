import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../machinery/api/object.ts';
import { type DefinitionName, definitions } from '../../stepfunctions/index.ts';
import { createCluster } from './create-cluster.stories.ts';
import { deleteCluster } from './delete-cluster.stories.ts';
import { type Mutation, mutationsOf } from './mutations.ts';
import { play } from './play.ts';
import { restoreCluster } from './restore-cluster.stories.ts';
import { type Stories, spelledOut } from './story.ts';
import { upgradeCluster } from './upgrade-cluster.stories.ts';

const stories: Record<DefinitionName, Stories> = {
  'create-cluster': createCluster,
  'delete-cluster': deleteCluster,
  'restore-cluster': restoreCluster,
  'upgrade-cluster': upgradeCluster,
};

/** How similar a story is to the change. */
const distance = ({ near }: Mutation, story: string): number => {
  const index = near.findIndex((sign) => story.includes(sign));
  return index < 0 ? near.length : index;
};

/** The first difference in a story; undefined without one. */
const noticedBy = async (mutation: Mutation, ordered: readonly string[]): Promise<string | undefined> => {
  const definition = mutation.mutated();
  for (const story of ordered.toSorted((one, other) => distance(mutation, one) - distance(mutation, other))) {
    const expected = spelledOut(story);
    if ((await play(definition, expected)) !== expected) return story;
  }
  return undefined;
};

describe.each(Object.entries(definitions))('%s', (name, definition) => {
  it('has no part whose removal or change every story survives', async () => {
    const mutations = mutationsOf(structuredClone(definition) as unknown as JsonObject);
    expect(mutations.length).toBeGreaterThan(500);
    const survivors: string[] = [];
    let ordered = stories[name as DefinitionName].map(([, story]) => story);
    for (const mutation of mutations) {
      const story = await noticedBy(mutation, ordered);
      if (story === undefined) survivors.push(mutation.name);
      // The story that detects one change is likely to detect the next one beside it.
      else ordered = [story, ...ordered.filter((other) => other !== story)];
    }
    expect(survivors).toEqual([]);
  });
});
