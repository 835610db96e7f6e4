"""postings"""
