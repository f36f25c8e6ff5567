//! stub
/// stub
#[derive(Debug)]
pub struct Deadlines;
/// stub
#[derive(Debug)]
pub struct Program;
