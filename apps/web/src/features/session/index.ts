export { PasswordForm } from "./password-form.tsx";
export { SignInForm } from "./sign-in-form.tsx";
export { EntryPage, SignInPage } from "./sign-in-page.tsx";
