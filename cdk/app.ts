/** The deployment: `npx cdk synth`, or `node cdk/app.ts` with a folder in CDK_OUTDIR. */
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { bundle, bundleServices } from '../tools/bundle.mjs';
import { findDeployed } from './deployed.ts';
import { stackOf } from './names.ts';
import { givenContext, installationIn } from './settings.ts';
import { createStacks } from './stacks.ts';

const code = join(import.meta.dirname, '../.build/lambdas');
await bundle(code);
await bundleServices(code);
const app = new App();
const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
const stack = stackOf(installationIn(givenContext(app.node)));
const destination = account && region ? { account, region } : undefined;
createStacks(app, code, await findDeployed(stack, destination, console.error));
app.synth();
