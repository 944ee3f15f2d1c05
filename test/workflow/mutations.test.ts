import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../machinery/api/object.ts';
import { type DefinitionName, definitions } from '../../stepfunctions/index.ts';
import { createCluster } from './create-cluster.stories.ts';
import { deleteCluster } from './delete-cluster.stories.ts';
import { type Mutation, mutationsOf } from './mutations.ts';
import { play, type Stories, spelledOut } from './play.ts';

const stories: Record<DefinitionName, Stories> = { 'create-cluster': createCluster, 'delete-cluster': deleteCluster };

/** The rule of a story that comes out differently. */
const noticed = async ({ definition, near }: Mutation, told: Stories): Promise<string | undefined> => {
  const distance = ([, story]: Stories[number]) => {
    const index = near.findIndex((sign) => story.includes(sign));
    return index < 0 ? near.length : index;
  };
  for (const [rule, story] of told.toSorted((one, other) => distance(one) - distance(other))) {
    const expected = spelledOut(story);
    if ((await play(definition, expected)) !== expected) return rule;
  }
  return undefined;
};

describe.each(Object.entries(definitions))('%s', (name, definition) => {
  it('has no part whose loss or change every story survives', async () => {
    const mutations = mutationsOf(definition as JsonObject);
    expect(mutations.length).toBeGreaterThan(500);
    const survivors: string[] = [];
    for (const mutation of mutations) {
      if ((await noticed(mutation, stories[name as DefinitionName])) === undefined) survivors.push(mutation.name);
    }
    expect(survivors).toEqual([]);
  });
});
