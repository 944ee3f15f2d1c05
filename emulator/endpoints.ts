/** Endpoints of the emulated account, and their environment variables. */

export interface Endpoints {
  /** Every service without an endpoint below. */
  aws: string;
  /** EC2, load balancers, tags and instance profiles. */
  compute: string;
  sts: string;
  parameters: string;
}

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** The variables that SDKs and the CDK read. */
export const endpointVariables = ({ aws, compute, sts, parameters }: Endpoints): Record<string, string> => ({
  AWS_ENDPOINT_URL: aws,
  AWS_ENDPOINT_URL_S3: aws,
  AWS_ENDPOINT_URL_STS: sts,
  AWS_ENDPOINT_URL_SSM: parameters,
  AWS_ENDPOINT_URL_EC2: compute,
  AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2: compute,
  AWS_ENDPOINT_URL_RESOURCE_GROUPS_TAGGING_API: compute,
  AWS_ENDPOINT_URL_IAM: compute,
});

export const credentialVariables = (credentials: Credentials): Record<string, string> => ({
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  ...(credentials.sessionToken && { AWS_SESSION_TOKEN: credentials.sessionToken }),
});
