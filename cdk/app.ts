/** The deployment: `npx cdk synth`, or `node cdk/app.ts` with a folder in CDK_OUTDIR. */
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { bundle, bundleServices } from '../tools/bundle.mjs';
import { createStacks } from './stacks.ts';

const code = join(import.meta.dirname, '../.build/lambdas');
await bundle(code);
await bundleServices(code);
const app = new App();
createStacks(app, code);
app.synth();
