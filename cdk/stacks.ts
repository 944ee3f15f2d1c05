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

/** Only lookups bind the template to an account; otherwise the same template fits everywhere. */
const environmentOf = (vpcId: string | undefined) => {
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
  return vpcId !== undefined && account !== undefined && region !== undefined ? { env: { account, region } } : {};
};

/** Without the reasons for findings of rule packs. */
export const unexplainedStacks = (app: App, code: string): Stacks => {
  // The monitoring stack references retained tables by name, which never change.
  app.node.setContext('@aws-cdk/core:defaultCrossStackReferences', 'strong');
  const settings = settingsOf(app.node);
  const environment = environmentOf(settings.vpcId);
  const name = `Capstan-${settings.installation}`;
  const controlPlane = new ControlPlane(app, name, { settings, code, ...environment });
  const monitoring = new Monitoring(app, `${name}-Monitoring`, { settings, controlPlane, ...environment });
  // The next deployment starts from this context: a value that is not given stays.
  controlPlane.addMetadata(contextMetadata, givenContext(app.node));
  return { controlPlane, monitoring };
};

/** `code` is the folder with one folder per function. */
export const createStacks = (app: App, code: string): Stacks => {
  const stacks = unexplainedStacks(app, code);
  acknowledgeAll(stacks);
  return stacks;
};
