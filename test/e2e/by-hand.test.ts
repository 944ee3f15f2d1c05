/** An installation that the CDK deploys by hand, in an account of its own. */
import { afterAll, beforeAll } from 'vitest';
import { cdkStory } from './deployment/cdk.story.ts';
import { type Installation, openInstallation } from './deployment/installation.ts';

let installation: Installation;
beforeAll(async () => {
  installation = await openInstallation();
});
afterAll(() => installation?.close());

cdkStory(() => installation);
