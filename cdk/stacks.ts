/** The two stacks of an installation. */
import type { App } from 'aws-cdk-lib';
import { ControlPlane } from './control-plane.ts';
import { settingsOf } from './settings.ts';

export interface Stacks {
  controlPlane: ControlPlane;
}

/** Only what is looked up in an account ties the template to it; else the same one is deployed everywhere. */
const environmentOf = (vpcId: string | undefined) => {
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
  return vpcId !== undefined && account !== undefined && region !== undefined ? { env: { account, region } } : {};
};

/** `code` is the folder that holds a folder for each function. */
export const createStacks = (app: App, code: string): Stacks => {
  const settings = settingsOf(app.node);
  const environment = environmentOf(settings.vpcId);
  const controlPlane = new ControlPlane(app, `Capstan-${settings.installation}`, { settings, code, ...environment });
  return { controlPlane };
};
