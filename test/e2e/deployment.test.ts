/** The synthesised template, deployed and used as a user would. The stories share one installation, in this order. */
import { afterAll, beforeAll } from 'vitest';
import { apiStory } from './deployment/api.story.ts';
import { endStory } from './deployment/end.story.ts';
import { failureStory } from './deployment/failure.story.ts';
import { deployed, type Installation } from './deployment/installation.ts';
import { lifeStory } from './deployment/life.story.ts';
import { quietStory } from './deployment/quiet.story.ts';
import { reportsStory } from './deployment/reports.story.ts';

let installation: Installation;
beforeAll(async () => {
  installation = await deployed();
});
afterAll(() => installation?.close());

const it = () => installation;
// First, because expiring Events keep an installation awake.
quietStory(it);
apiStory(it);
reportsStory(it);
lifeStory(it);
failureStory(it);
endStory(it);
