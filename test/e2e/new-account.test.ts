/** An installation in a new account with a concurrency limit of ten. The stories share it, in this order. */
import { afterAll, beforeAll } from 'vitest';
import { crowdStory } from './deployment/crowd.story.ts';
import { deployed, type Installation } from './deployment/installation.ts';
import { restoreStory } from './deployment/restore.story.ts';

let installation: Installation;
beforeAll(async () => {
  installation = await deployed({ concurrency: 10 });
});
afterAll(() => installation?.close());

const it = () => installation;
crowdStory(it);
restoreStory(it);
