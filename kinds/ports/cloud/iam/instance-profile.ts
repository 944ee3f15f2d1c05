/** Instance profiles. */

export interface InstanceProfileActions {
  /** IAM; finds a missing profile before the launch. */
  GetInstanceProfile: [
    { InstanceProfileName: string },
    { InstanceProfile: { InstanceProfileName: string; Arn: string } },
  ];
}
