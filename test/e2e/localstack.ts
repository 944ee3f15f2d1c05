/**
 * The endpoints of the services in `compose.yaml`. `TARGET=localstack` sets them all; a variable that is set already wins,
 * for example to use a LocalStack plan that includes EC2 and load balancers.
 */
const localStack = 'http://127.0.0.1:4566';
const moto = 'http://127.0.0.1:5000';

export const localStackVariables = {
  AWS_ENDPOINT_URL: localStack,
  AWS_ENDPOINT_URL_S3: 'http://s3.localhost.localstack.cloud:4566',
  AWS_ENDPOINT_URL_EC2: moto,
  AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2: moto,
  AWS_ENDPOINT_URL_RESOURCE_GROUPS_TAGGING_API: moto,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_REGION: 'us-east-1',
};

export const nameTarget = (environment: NodeJS.ProcessEnv): void => {
  if (environment.TARGET !== 'localstack') return;
  for (const [name, value] of Object.entries(localStackVariables)) environment[name] ??= value;
};
