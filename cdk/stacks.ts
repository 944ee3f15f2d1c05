/** The two stacks of an installation. */
import type { App } from 'aws-cdk-lib';
import { acknowledgeAll } from './acknowledged/index.ts';
import { ControlPlane } from './control-plane.ts';
import { Monitoring } from './monitoring/index.ts';
import { contextMetadata } from './names.ts';
import { givenContext, settingsOf } from './settings.ts';

export interface Stacks {
  controlPlane: ControlPlane;
  monitoring: Monitoring;
}

/** Only what is looked up in an account ties the template to it; else the same one is deployed everywhere. */
const environmentOf = (vpcId: string | undefined) => {
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
  return vpcId !== undefined && account !== undefined && region !== undefined ? { env: { account, region } } : {};
};

/** Without the reasons for what rule packs find in them. */
export const unexplainedStacks = (app: App, code: string): Stacks => {
  // What the monitoring stack names is not replaced under it: the tables stay for ever.
  app.node.setContext('@aws-cdk/core:defaultCrossStackReferences', 'strong');
  const settings = settingsOf(app.node);
  const environment = environmentOf(settings.vpcId);
  const name = `Capstan-${settings.installation}`;
  const controlPlane = new ControlPlane(app, name, { settings, code, ...environment });
  const monitoring = new Monitoring(app, `${name}-Monitoring`, { settings, controlPlane, ...environment });
  // A later deployment begins with what this one was told: what is not said again stays as it is.
  controlPlane.addMetadata(contextMetadata, givenContext(app.node));
  return { controlPlane, monitoring };
};

/** `code` is the folder that holds a folder for each function. */
export const createStacks = (app: App, code: string): Stacks => {
  const stacks = unexplainedStacks(app, code);
  acknowledgeAll(stacks);
  return stacks;
};
