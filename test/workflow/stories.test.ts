import { describe, expect, it } from 'vitest';
import { type DefinitionName, definitions } from '../../stepfunctions/index.ts';
import { createCluster } from './create-cluster.stories.ts';
import { deleteCluster } from './delete-cluster.stories.ts';
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

describe.each(Object.entries(definitions))('%s', (name, definition) => {
  it.each(stories[name as DefinitionName])('%s', async (_, story) =>
    expect(await play(definition, spelledOut(story))).toBe(spelledOut(story)));
});
